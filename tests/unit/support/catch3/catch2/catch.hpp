#ifndef COMMPROF_TEST_CATCH3_CATCH_HPP
#define COMMPROF_TEST_CATCH3_CATCH_HPP

// The one header of Catch 2, for Catch 3, which has a header for each part and other names for some.

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_all.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <string>
#include <utility>

namespace Catch {
using Matchers::EndsWith;
using Matchers::StartsWith;
inline auto Contains(std::string text) { return Matchers::ContainsSubstring(std::move(text)); }
}  // namespace Catch
using Catch::Approx;

#ifdef CATCH_CONFIG_MAIN
#include <catch2/catch_session.hpp>
int main(int argc, char** argv) { return Catch::Session().run(argc, argv); }
#endif

#endif
