/* What the program prints: complaints, one line each, from rank 0 only; and texts. */
#include "cli/complaints.h"

#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static char last_complaint[FL_COMPLAINT_MAX];
static bool mute;

int fl_complain(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(last_complaint, sizeof last_complaint, format, arguments);
    va_end(arguments);
    fl_text_make_printable(last_complaint);
    if (!mute)
        fprintf(stderr, "faultline: %s\n", last_complaint);
    return FL_EXIT_BAD_INPUT;
}

static bool memory_ran_out;

bool fl_memory_ran_out(void)
{
    return memory_ran_out;
}

int fl_complain_of(const fl_error *error)
{
    memory_ran_out |= error->status == FL_ERR_MEMORY;
    fl_complain("%s", error->text);
    return memory_ran_out || error->status == FL_ERR_ROUTER ? FL_EXIT_FAILED : FL_EXIT_BAD_INPUT;
}

int fl_complain_in_option(const char *option, const char *value, const fl_error *error)
{
    fl_error with_option;
    fl_fail(&with_option, error->status, "--%.40s%s%.80s: %.880s", option, value ? " " : "",
            value ? value : "", error->text);
    return fl_complain_of(&with_option);
}

int fl_complain_memory(const char *what)
{
    fl_error error;
    fl_fail(&error, FL_ERR_MEMORY, "out of memory for %s", what);
    return fl_complain_of(&error);
}

int fl_print_text(fl_text *text)
{
    fl_text_fit(text);
    int code = text->failed ? fl_complain_memory("the output") : FL_EXIT_OK;
    if (code == FL_EXIT_OK && text->length > 0)
        fwrite(text->data, 1, text->length, stdout);
    fl_text_clear(text);
    return code;
}

void fl_complain_for(unsigned rank)
{
    mute = rank > 0;
}

bool fl_speaks(void)
{
    return !mute;
}

const char *fl_last_complaint(void)
{
    return last_complaint;
}

unsigned fl_terminal_columns(void)
{
    struct winsize size;
    if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0)
        return 0;
    return size.ws_col;
}
