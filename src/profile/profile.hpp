// Writes the rows of a profile's files. Used by the processes of a run, and by the reader to recover what a killed
// process left. Knows no MPI. Other folders include this header of the folder; code that only reads profiles needs
// schema.hpp alone.
#pragma once

#include "profile/collector.hpp"
#include "profile/file.hpp"
#include "profile/host_pairs.hpp"
#include "profile/message_totals.hpp"
#include "profile/offers.hpp"
#include "profile/output_directory.hpp"
#include "profile/output_path.hpp"
#include "profile/placements.hpp"
#include "profile/processors.hpp"
#include "profile/rows.hpp"
#include "profile/run_summary.hpp"
#include "profile/schema.hpp"
#include "profile/sums.hpp"
#include "profile/text_writer.hpp"
#include "profile/unfinished_requests.hpp"
#include "profile/window_rows.hpp"
