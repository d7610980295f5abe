# Options of what a build takes if it is there: ON demands it, OFF does without, AUTO, the default, takes it if it is found.

# commprof_option_of_found(NAME WHAT): WHAT is built, for the description of the option.
function(commprof_option_of_found name what)
  set(${name} AUTO CACHE STRING "${what}: ON, OFF, or AUTO")
  set_property(CACHE ${name} PROPERTY STRINGS AUTO ON OFF)
endfunction()

# commprof_does_without(NAME LOSS PROBLEM): what the option NAME asks for cannot be built because of PROBLEM; LOSS says what is then missing.
function(commprof_does_without name loss problem)
  if(${name} STREQUAL "AUTO")
    message(NOTICE "commprof: ${loss}: ${problem}")
  elseif(${name})
    message(FATAL_ERROR "${name} is ON: ${problem}")
  endif()
endfunction()
