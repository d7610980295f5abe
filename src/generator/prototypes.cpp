#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include "generator.hpp"

namespace commprof::generator {

namespace {

using Tokens = std::vector<std::string>;

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_identifier(std::string const& token) {
  return is_word(token[0]) && std::isdigit(static_cast<unsigned char>(token[0])) == 0;
}

// Splits the text into words and single characters; skips line markers, strings and comments.
Tokens tokenize(std::string_view text) {
  Tokens tokens;
  for (std::size_t i = 0; i < text.size();) {
    char const c = text[i];
    bool const line_start = i == 0 || text[i - 1] == '\n';
    if (c == '#' && line_start) {
      while (i < text.size() && text[i] != '\n') ++i;
    } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      ++i;
    } else if (is_word(c)) {
      std::size_t const first = i;
      while (i < text.size() && is_word(text[i])) ++i;
      tokens.emplace_back(text.substr(first, i - first));
    } else if (c == '"') {
      for (++i; i < text.size() && text[i] != '"'; ++i)
        if (text[i] == '\\') ++i;
      ++i;
      tokens.emplace_back("\"\"");
    } else {
      tokens.emplace_back(1, c);
      ++i;
    }
  }
  return tokens;
}

// The index after the bracket that closes the one at `open`.
std::size_t after_closing(Tokens const& tokens, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < tokens.size(); ++i) {
    if (tokens[i] == "(" || tokens[i] == "[" || tokens[i] == "{") ++depth;
    if (tokens[i] == ")" || tokens[i] == "]" || tokens[i] == "}") --depth;
    if (depth == 0) return i + 1;
  }
  return tokens.size();
}

Tokens without_attributes(Tokens const& tokens) {
  Tokens kept;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if ((tokens[i] == "__attribute__" || tokens[i] == "__declspec") && i + 1 < tokens.size() && tokens[i + 1] == "(")
      i = after_closing(tokens, i + 1) - 1;
    else if (tokens[i] != "__extension__" && tokens[i] != "extern") kept.push_back(tokens[i]);
  }
  return kept;
}

std::string join(Tokens::const_iterator first, Tokens::const_iterator last) {
  std::string text;
  for (; first != last; ++first) {
    bool const glued = text.empty() || *first == "[" || *first == "]" || text.back() == '[';
    if (!glued) text += ' ';
    text += *first;
  }
  return text;
}

bool is_type_keyword(std::string const& token) {
  constexpr std::array<std::string_view, 10> keywords{"void",  "char",   "short",    "int",    "long",
                                                      "float", "double", "unsigned", "signed", "bool"};
  return std::find(keywords.begin(), keywords.end(), token) != keywords.end();
}

Parameter read_parameter(Tokens const& tokens) {
  auto const array = std::find(tokens.begin(), tokens.end(), "[");
  auto name = array;
  if (array != tokens.begin()) {
    auto const last = array - 1;
    bool const is_qualifier = *last == "const" || *last == "volatile";
    bool const names_a_type_before = std::any_of(tokens.begin(), last, [](std::string const& token) {
      return is_identifier(token) && token != "const" && token != "volatile" && token != "struct";
    });
    if (is_identifier(*last) && !is_qualifier && !is_type_keyword(*last) && names_a_type_before) name = last;
  }
  return {join(tokens.begin(), name), join(array, tokens.end())};
}

constexpr std::string_view linkage = "\"\"";  // stands for extern "C" in the tokens

// Whether braces are part of a declaration that goes on (struct {…} name;). The body of a function or namespace ends
// it.
bool declares_a_type(Tokens const& declaration) {
  return std::find(declaration.begin(), declaration.end(), "(") == declaration.end() &&
         std::any_of(declaration.begin(), declaration.end(), [](std::string const& token) {
           return token == "struct" || token == "union" || token == "enum" || token == "class";
         });
}

// Reads a declaration without its semicolon; false if it does not declare an MPI function.
bool read_declaration(Tokens declaration, Prototype& prototype) {
  if (!declaration.empty() && declaration[0] == linkage) declaration.erase(declaration.begin());
  if (declaration.empty() || declaration[0] == "typedef") return false;
  auto const open = std::find(declaration.begin(), declaration.end(), "(");
  if (open == declaration.end() || open - declaration.begin() < 2) return false;
  std::string const& name = *(open - 1);
  if (!name.starts_with("MPI_") && !name.starts_with("MPIX_")) return false;
  prototype.name = name;
  prototype.result = join(declaration.begin(), open - 1);
  std::size_t const first = static_cast<std::size_t>(open - declaration.begin()) + 1;
  std::size_t const last = after_closing(declaration, first - 1) - 1;
  Tokens parameter;
  int depth = 0;
  for (std::size_t i = first; i <= last && i < declaration.size(); ++i) {
    std::string const& token = declaration[i];
    if (i == last || (token == "," && depth == 0)) {
      if (!parameter.empty() && parameter != Tokens{"void"} && parameter != Tokens{".", ".", "."})
        prototype.parameters.push_back(read_parameter(parameter));
      parameter.clear();
      continue;
    }
    if (token == "(") ++depth;
    if (token == ")") --depth;
    parameter.push_back(token);
  }
  return true;
}

}  // namespace

std::vector<Prototype> read_prototypes(std::string_view preprocessed) {
  Tokens const tokens = without_attributes(tokenize(preprocessed));
  std::vector<Prototype> prototypes;
  std::set<std::string> seen;
  Tokens declaration;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i] == "{") {
      bool const opens_linkage = declaration.size() == 1 && declaration[0] == linkage;
      if (!opens_linkage) i = after_closing(tokens, i) - 1;
      if (!declares_a_type(declaration)) declaration.clear();
      continue;
    }
    if (tokens[i] == "}") {
      declaration.clear();
      continue;
    }
    if (tokens[i] != ";") {
      declaration.push_back(tokens[i]);
      continue;
    }
    Prototype prototype;
    if (read_declaration(declaration, prototype) && seen.insert(prototype.name).second)
      prototypes.push_back(std::move(prototype));
    declaration.clear();
  }
  return prototypes;
}

std::vector<Prototype> read_standard_calls(std::string_view list) {
  constexpr std::string_view start = "\nMPI_ABI_CALL(";  // result, name, (parameters))
  std::string declarations;
  for (std::size_t at = list.find(start); at != list.npos; at = list.find(start, at)) {
    at += start.size();
    std::string_view const line = list.substr(at, list.find('\n', at) - at);
    std::size_t const name = line.find(", ") + 2, parameters = line.find(", (") + 2;
    declarations += line.substr(0, name - 2);
    declarations += " MPI_";
    declarations += line.substr(name, parameters - 2 - name);
    declarations += line.substr(parameters, line.rfind(')') - parameters);
    declarations += ";\n";
  }
  return read_prototypes(declarations);
}

std::vector<Prototype> missing_prototypes(std::vector<Prototype> standard, std::string_view preprocessed) {
  std::set<std::string> declared;
  for (Prototype const& one : read_prototypes(preprocessed)) declared.insert(one.name);
  Tokens const tokens = tokenize(preprocessed);
  std::set<std::string> known(tokens.begin(), tokens.end());
  known.insert("MPI_Session");  // mpi/mpi.hpp declares it for older MPIs
  std::erase_if(standard, [&](Prototype const& one) {
    return declared.contains(one.name) || std::ranges::any_of(one.parameters, [&](Parameter const& parameter) {
             return std::ranges::any_of(tokenize(parameter.before), [&](std::string const& token) {
               return token.starts_with("MPI_") && !known.contains(token);
             });
           });
  });
  return standard;
}

}  // namespace commprof::generator
