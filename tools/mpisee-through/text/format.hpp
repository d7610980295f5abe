#pragma once

namespace mpisee_through {

// html: the part of a page that one view fills, as a line of JSON.
enum class Format { text, csv, json, html };

}  // namespace mpisee_through
