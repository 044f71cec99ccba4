/* Rust's standard library imports ProcessPrng from bcryptprimitives.dll, which Wine 8 lacks. */
#include <stddef.h>

__declspec(dllimport) unsigned char __stdcall SystemFunction036(void *buffer, unsigned long length);

__declspec(dllexport) int ProcessPrng(unsigned char *buffer, size_t length) {
  return SystemFunction036(buffer, (unsigned long)length);
}
