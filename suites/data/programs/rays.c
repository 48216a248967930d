// Workload for Embree: a sphere of triangles, and rays against it, one by one and by eight.
#include <embree3/rtcore.h>
#include <math.h>
#include <stdio.h>

enum { kRings = 40, kSectors = 60, kRays = 40 };

static RTCScene sphere(RTCDevice device) {
  RTCGeometry mesh = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
  float* const places = rtcSetNewGeometryBuffer(mesh, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3,
                                                3 * sizeof(float), (kRings + 1) * kSectors);
  unsigned* const corners = rtcSetNewGeometryBuffer(mesh, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                                                    3 * sizeof(unsigned), 2 * kRings * kSectors);
  for (int ring = 0; ring <= kRings; ++ring) {
    for (int sector = 0; sector < kSectors; ++sector) {
      float* const place = places + 3 * (ring * kSectors + sector);
      const float up = 3.14159265f * (float)ring / kRings, round = 6.2831853f * (float)sector / kSectors;
      place[0] = sinf(up) * cosf(round);
      place[1] = cosf(up);
      place[2] = sinf(up) * sinf(round);
    }
  }
  for (unsigned ring = 0, i = 0; ring < kRings; ++ring) {
    for (unsigned sector = 0; sector < kSectors; ++sector) {
      const unsigned a = ring * kSectors + sector, b = ring * kSectors + (sector + 1) % kSectors;
      const unsigned square[6] = {a, b, a + kSectors, b, b + kSectors, a + kSectors};
      for (int corner = 0; corner < 6; ++corner) corners[i++] = square[corner];
    }
  }
  rtcCommitGeometry(mesh);
  RTCScene scene = rtcNewScene(device);
  rtcAttachGeometry(scene, mesh);
  rtcReleaseGeometry(mesh);
  rtcCommitScene(scene);
  return scene;
}

int main(void) {
  RTCDevice device = rtcNewDevice("threads=1,start_threads=0");
  RTCScene scene = sphere(device);
  struct RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  int hits = 0;
  for (int y = 0; y < kRays; ++y) {
    struct RTCRayHit8 many = {0};
    int valid[8] __attribute__((aligned(32)));
    for (int x = 0; x < kRays; ++x) {
      const float at_x = 2.4f * (float)x / kRays - 1.2f, at_y = 2.4f * (float)y / kRays - 1.2f;
      struct RTCRayHit one = {0};
      one.ray.org_x = at_x, one.ray.org_y = at_y, one.ray.org_z = -3;
      one.ray.dir_z = 1, one.ray.tfar = INFINITY, one.ray.mask = -1u;
      one.hit.geomID = RTC_INVALID_GEOMETRY_ID;
      rtcIntersect1(scene, &context, &one);
      hits += one.hit.geomID != RTC_INVALID_GEOMETRY_ID;
      const int lane = x % 8;
      valid[lane] = -1;
      many.ray.org_x[lane] = at_y, many.ray.org_y[lane] = at_x, many.ray.org_z[lane] = 3;
      many.ray.dir_z[lane] = -1, many.ray.tfar[lane] = INFINITY, many.ray.mask[lane] = -1u;
      many.ray.tnear[lane] = 0, many.ray.dir_x[lane] = 0.01f;
      many.hit.geomID[lane] = RTC_INVALID_GEOMETRY_ID;
      if (lane == 7) rtcIntersect8(valid, scene, &context, &many);
    }
  }
  rtcReleaseScene(scene);
  rtcReleaseDevice(device);
  printf("%d of %d rays hit\n", hits, kRays * kRays);
  return hits == 0;
}
