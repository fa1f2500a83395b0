/* In builds with the address sanitizer, for programs that draw: fontconfig, by which Cairo finds
 * its font, keeps its tables for the life of a process, behind pointers that the sanitizer cannot
 * follow. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_options(void);

const char *__lsan_default_suppressions(void)
{
    return "leak:libfontconfig.so\n";
}

const char *__lsan_default_options(void)
{
    return "print_suppressions=0";
}
