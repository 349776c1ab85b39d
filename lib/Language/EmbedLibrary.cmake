# Writes ${OUTPUT}, the definition of ${NAMESPACE}::${FUNCTION}(), declared in ${HEADER}, from the files ${FILES} (separated by '|'):
# a list of ${TYPE}, each with its name, relative to ${ROOT}, and its text.
string(REPLACE "|" ";" FILES "${FILES}")
set(text "// Generated from files under kernels.\n#include \"${HEADER}\"\n\nnamespace ${NAMESPACE} {\n\n")
string(APPEND text "const std::vector<${TYPE}> &${FUNCTION}() {\n")
string(APPEND text "  static const std::vector<${TYPE}> files = {\n")
foreach(file IN LISTS FILES)
  file(RELATIVE_PATH name ${ROOT} ${file})
  # As hex escapes, so that nothing in the file can end the string early.
  file(READ ${file} hex HEX)
  string(REGEX REPLACE "(..)" "\\\\x\\1" bytes "${hex}")
  string(APPEND text "      {\"${name}\", \"${bytes}\"},\n")
endforeach()
string(APPEND text "  };\n  return files;\n}\n\n} // namespace ${NAMESPACE}\n")
file(WRITE ${OUTPUT} "${text}")
