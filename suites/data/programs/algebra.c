// Workload for OpenBLAS: some functions of each BLAS level, and a linear system.
#include <cblas.h>
#include <stdio.h>
#include <stdlib.h>

void dgesv_(const int* n, const int* columns, double* a, const int* lda, int* pivots, double* b,
            const int* ldb, int* info);

enum { kSize = 160 };

static double* filled(int count, unsigned seed) {
  double* const values = malloc(sizeof(double) * (size_t)count);
  for (int i = 0; i < count; ++i) {
    seed = seed * 1103515245u + 12345u;
    values[i] = (double)(seed >> 8) / (1 << 24) - 0.5;
  }
  return values;
}

int main(void) {
  double* const a = filled(kSize * kSize, 1);
  double* const b = filled(kSize * kSize, 2);
  double* const c = filled(kSize * kSize, 3);
  float single[kSize * 4];
  for (int i = 0; i < kSize * 4; ++i) single[i] = (float)i;
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, kSize, kSize, kSize, 1.5, a, kSize, b, kSize, 0.5, c, kSize);
  cblas_dsyrk(CblasColMajor, CblasUpper, CblasNoTrans, kSize, kSize, 1, a, kSize, 0, c, kSize);
  cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasUnit, kSize, 8, 1, a, kSize, b, kSize);
  cblas_dgemv(CblasColMajor, CblasNoTrans, kSize, kSize, 1, a, kSize, b, 1, 0, c, 1);
  cblas_daxpy(kSize * kSize, 0.25, a, 1, b, 1);
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, 16, 16, 16, 1, single, 16, single, 16, 0, single + 256, 16);
  const double dot = cblas_ddot(kSize * kSize, a, 1, b, 1) + cblas_dnrm2(kSize, c, 1) + cblas_dasum(kSize, a, 1);
  const int size = kSize, columns = 4;
  int pivots[kSize], info = 0;
  dgesv_(&size, &columns, a, &size, pivots, b, &size, &info);
  printf("%g %g %g %d\n", dot, b[0], c[kSize], info);
  return info;
}
