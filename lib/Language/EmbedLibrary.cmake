# Writes ${OUTPUT}, the definition of embeddedLibrary(), from the files ${FILES} (separated by '|').
string(REPLACE "|" ";" FILES "${FILES}")
set(text "// Generated from kernels/lang.\n#include \"Language/EmbeddedLibrary.h\"\n\nnamespace teeny::lang {\n\n")
string(APPEND text "const std::vector<EmbeddedFile> &embeddedLibrary() {\n")
string(APPEND text "  static const std::vector<EmbeddedFile> files = {\n")
foreach(file IN LISTS FILES)
  get_filename_component(name ${file} NAME)
  # As hex escapes, so that nothing in the file can end the string early.
  file(READ ${file} hex HEX)
  string(REGEX REPLACE "(..)" "\\\\x\\1" bytes "${hex}")
  string(APPEND text "      {\"lang/${name}\", \"${bytes}\"},\n")
endforeach()
string(APPEND text "  };\n  return files;\n}\n\n} // namespace teeny::lang\n")
file(WRITE ${OUTPUT} "${text}")
