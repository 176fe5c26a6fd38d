// Knows nothing of MPI: takes in a library that does, lets it work, and throws it out again. usage: loader global|local LIBRARY
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
    void *library = dlopen(argv[2], RTLD_NOW | (strcmp(argv[1], "local") ? RTLD_GLOBAL : RTLD_LOCAL));
    int (*work)(int, char **) = library ? (int (*)(int, char **))dlsym(library, "work") : 0;
    if (!work) return fprintf(stderr, "%s\n", dlerror()), 1;
    int code = work(1, argv);
    if (dlclose(library)) return fprintf(stderr, "%s\n", dlerror()), 1;
    return code;
}
