// For findings/findings.cpp.
#pragma once
#include "files/visible_text.hpp"
