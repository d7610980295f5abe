
#include <dlfcn.h>

#include <cstdint>

#include "sites/sites.hpp"

// nullptr without Python. dlsym() would leave an error for the program's dlerror().
extern "C" [[gnu::weak]] int Py_IsInitialized();

namespace commprof::python {

namespace {

// Opaque types of the interpreter.
struct Object;
struct Frame;
struct ThreadState;
struct Interpreter;

// Functions of Python's C API that the process has. The caller releases the objects that they return, except borrowed
// ones.
struct Api {
  bool is_whole = true;  // the initialisers of the others clear it if one is missing

// NOLINTNEXTLINE(bugprone-macro-parentheses): a declaration has none
#define COMMPROF_FUNCTION(result, name, parameters) result(*name) parameters = find<result(*) parameters>(#name)
  COMMPROF_FUNCTION(int, PyGILState_Check, ());
  COMMPROF_FUNCTION(ThreadState*, PyGILState_GetThisThreadState, ());
  COMMPROF_FUNCTION(Interpreter*, PyThreadState_GetInterpreter, (ThreadState*));
  COMMPROF_FUNCTION(Interpreter*, PyInterpreterState_Head, ());
  COMMPROF_FUNCTION(Interpreter*, PyInterpreterState_Next, (Interpreter*));
  COMMPROF_FUNCTION(ThreadState*, PyInterpreterState_ThreadHead, (Interpreter*));
  COMMPROF_FUNCTION(ThreadState*, PyThreadState_Next, (ThreadState*));
  COMMPROF_FUNCTION(int, PyGILState_Ensure, ());
  COMMPROF_FUNCTION(void, PyGILState_Release, (int));
  COMMPROF_FUNCTION(Object*, PyErr_Occurred, ());  // borrowed
  COMMPROF_FUNCTION(int, PyGC_Disable, ());
  COMMPROF_FUNCTION(int, PyGC_Enable, ());
  COMMPROF_FUNCTION(Frame*, PyEval_GetFrame, ());  // borrowed
  COMMPROF_FUNCTION(Frame*, PyFrame_GetBack, (Frame*));
  COMMPROF_FUNCTION(Object*, PyFrame_GetCode, (Frame*));
  COMMPROF_FUNCTION(int, PyFrame_GetLineNumber, (Frame*));
  COMMPROF_FUNCTION(Object*, PyObject_GetAttrString, (Object*, char const*));
  COMMPROF_FUNCTION(char const*, PyUnicode_AsUTF8, (Object*));  // lives as long as the object
  COMMPROF_FUNCTION(void, PyErr_Clear, ());
  COMMPROF_FUNCTION(void, Py_IncRef, (Frame*));
  COMMPROF_FUNCTION(void, Py_DecRef, (Object*));
#undef COMMPROF_FUNCTION

  // Whether the interpreter may be asked: it is the only one, and this thread holds the GIL or is Python's only thread.
  // Python puts new threads at the head of its list, so only data of this thread are read without the GIL.
  [[nodiscard]] bool may_be_asked() const {
    if (Py_IsInitialized() == 0) return false;
    ThreadState* const own = PyGILState_GetThisThreadState();
    if (own == nullptr) return false;
    Interpreter* const interpreter = PyThreadState_GetInterpreter(own);
    if (PyInterpreterState_Head() != interpreter || PyInterpreterState_Next(interpreter) != nullptr) return false;
    if (PyGILState_Check() != 0) return true;
    return PyInterpreterState_ThreadHead(interpreter) == own && PyThreadState_Next(own) == nullptr;
  }

 private:
  template <class Function>
  Function find(char const* name) {
    auto const function = reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
    if (function == nullptr) is_whole = false;
    return function;
  }
};

// Holds the GIL and disables garbage collection: a collection could run code of the program, which may call MPI.
class Asking {
 public:
  explicit Asking(Api const& api) : api_(api), lock_(api.PyGILState_Ensure()), collected_(api.PyGC_Disable()) {}
  Asking(Asking const&) = delete;
  Asking& operator=(Asking const&) = delete;
  ~Asking() {
    if (collected_ != 0) api_.PyGC_Enable();
    api_.PyGILState_Release(lock_);
  }

 private:
  Api const& api_;
  int lock_, collected_;
};

// A function on the stack of Python, with its name and its file's.
class Running {
 public:
  // Takes over the reference to the frame.
  Running(Api const& api, Frame* frame)
      : api_(api),
        frame_(frame),
        code_(api.PyFrame_GetCode(frame)),
        file_(api.PyObject_GetAttrString(code_, "co_filename")),
        function_(api.PyObject_GetAttrString(code_, "co_name")) {}
  Running(Running const&) = delete;
  Running& operator=(Running const&) = delete;
  ~Running() {
    for (Object* const one : {function_, file_, code_, reinterpret_cast<Object*>(frame_)}) api_.Py_DecRef(one);
  }

  [[nodiscard]] SourceLine line() const {
    return {text(file_), text(function_), static_cast<std::uint32_t>(api_.PyFrame_GetLineNumber(frame_))};
  }

 private:
  [[nodiscard]] char const* text(Object* string) const {
    char const* const text = string == nullptr ? nullptr : api_.PyUnicode_AsUTF8(string);
    if (text != nullptr) return text;
    api_.PyErr_Clear();
    return "?";
  }

  Api const& api_;
  Frame* frame_;
  Object *code_, *file_, *function_;
};

// Makes the caller's site first, since a site refers to it.
SiteIndex site_of(Api const& api, Frame* frame, std::size_t most) {
  if (frame == nullptr || most == 0) return SiteIndex::none;
  Running const function(api, frame);
  SiteIndex const caller = most > 1 ? site_of(api, api.PyFrame_GetBack(frame), most - 1) : SiteIndex::none;
  return sites::table.site_of(function.line(), caller);
}

// nullptr without a suitable Python.
Api const* find_api() {
  if (&Py_IsInitialized == nullptr) return nullptr;
  static Api const api;
  return api.is_whole ? &api : nullptr;
}

}  // namespace

bool is_running() { return find_api() != nullptr && Py_IsInitialized() != 0; }

SiteIndex site_of_call(std::size_t most) {
  Api const* const found = find_api();
  if (found == nullptr || !found->may_be_asked()) return SiteIndex::none;
  Api const& api = *found;
  Asking const asking(api);
  if (api.PyErr_Occurred() != nullptr) return SiteIndex::none;
  Frame* const innermost = api.PyEval_GetFrame();
  if (innermost != nullptr) api.Py_IncRef(innermost);
  return site_of(api, innermost, most);
}

}  // namespace commprof::python
