// Sets environment variables during a test.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <string_view>

class Environment {
 public:
  // Removes the variables with this prefix from the environment.
  explicit Environment(std::string_view prefix = "COMMPROF_") {
    for (char** variable = environ; *variable != nullptr; ++variable) {
      std::string const text = *variable;
      if (text.starts_with(prefix)) before_.emplace(text.substr(0, text.find('=')), text.substr(text.find('=') + 1));
    }
    for (auto const& [name, value] : before_) unsetenv(name.c_str());
  }
  Environment(Environment const&) = delete;
  Environment& operator=(Environment const&) = delete;
  ~Environment() {
    for (auto const& [name, value] : before_) {
      if (value) setenv(name.c_str(), value->c_str(), 1);
      else unsetenv(name.c_str());
    }
  }

  void set(std::string const& name, std::string const& value) {
    remember(name);
    setenv(name.c_str(), value.c_str(), 1);
  }
  void unset(std::string const& name) {
    remember(name);
    unsetenv(name.c_str());
  }

 private:
  void remember(std::string const& name) {
    char const* const value = std::getenv(name.c_str());
    before_.emplace(name, value == nullptr ? std::nullopt : std::optional<std::string>(value));
  }

  std::map<std::string, std::optional<std::string>> before_;
};
