// The practical limit: a C epoll client that only reads, stamps and looks for emit_ns. One core, one thread.
// Usage: reader PORT STREAMS REQUESTS [poll]   (closed loop of STREAMS until REQUESTS are done; poll = never sleeps) → one JSON line
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static uint64_t now_ns(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec * 1000000000ull + t.tv_nsec; }
static int cmp(const void *a, const void *b) { float x = *(float *)a, y = *(float *)b; return x < y ? -1 : x > y; }
enum { MAX_FD = 70000, BUF = 65536, MAX_BINS = 65536 };
static char tail[MAX_FD][64];
static int tail_n[MAX_FD];

int main(int argc, char **argv) {
  int port = atoi(argv[1]), streams = atoi(argv[2]), requests = atoi(argv[3]);
  int polls = argc > 4 && !strcmp(argv[4], "poll");
  struct rlimit lim = {MAX_FD, MAX_FD};
  setrlimit(RLIMIT_NOFILE, &lim);
  struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  const char *body = "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}],\"stream\":true}";
  char req[512];
  int req_n = sprintf(req, "POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%s", (int)strlen(body), body);
  int ep = epoll_create1(0), one = 1, sent = 0, done = 0;
  size_t cap = 1 << 20, n_err = 0;
  float *err = malloc(cap * sizeof *err);
  // Errors lie in the order of reading: where each tenth of a second ends.
  static size_t edge[MAX_BINS + 1];
  int bins = 0;
  uint64_t events = 0, start = now_ns(), next_edge = start + 100000000;
  for (int i = 0; i < streams; i++) {
    int s = socket(AF_INET, SOCK_STREAM, 0);
    setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    if (connect(s, (void *)&a, sizeof a)) { perror("connect"); return 1; }
    struct epoll_event ev = {.events = EPOLLIN, .data.fd = s};
    epoll_ctl(ep, EPOLL_CTL_ADD, s, &ev);
    if (write(s, req, req_n) != req_n) return 1;
    sent++;
  }
  static char buf[BUF + 128];
  struct epoll_event got[1024];
  while (done < requests) {
    int n = epoll_wait(ep, got, 1024, polls ? 0 : 10000);
    if (n == 0 && polls) continue;
    if (n <= 0) { fprintf(stderr, "silence, %d of %d done\n", done, requests); return 1; }
    for (int i = 0; i < n; i++) {
      int fd = got[i].data.fd;
      memcpy(buf, tail[fd], tail_n[fd]);
      ssize_t r = recv(fd, buf + tail_n[fd], BUF, MSG_DONTWAIT);
      uint64_t at = now_ns();
      for (; at >= next_edge && bins < MAX_BINS; next_edge += 100000000) edge[++bins] = n_err;
      if (r <= 0) { if (r < 0 && errno == EAGAIN) continue; return 1; }
      size_t len = tail_n[fd] + r;
      char *p = buf, *end = buf + len, *hit;
      while ((hit = memmem(p, end - p, "\"emit_ns\":\"", 11)) && memchr(hit + 11, '"', end - hit - 11)) {
        uint64_t stamp = strtoull(hit + 11, 0, 10);
        if (n_err == cap) err = realloc(err, (cap *= 2) * sizeof *err);
        err[n_err++] = (double)(int64_t)(at - stamp) / 1e6;
        events++;
        p = hit + 11;
      }
      int end_seen = len >= 5 && !memcmp(end - 5, "0\r\n\r\n", 5);
      // Keep what may be the beginning of a stamp that the next read completes.
      char *keep = hit ? hit : (end - p > 40 ? end - 40 : p);
      if (end - keep > 60) keep = end - 60;
      tail_n[fd] = end_seen ? 0 : end - keep;
      memmove(tail[fd], keep, tail_n[fd]);
      if (end_seen) {
        done++;
        if (sent < requests) { sent++; if (write(fd, req, req_n) != req_n) return 1; }
      }
    }
  }
  double sec = (now_ns() - start) / 1e9;
  struct rusage u;
  getrusage(RUSAGE_SELF, &u);
  double cpu = u.ru_utime.tv_sec + u.ru_stime.tv_sec + (u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
  // The median of the p99s of all tenths of a second, before everything is sorted together.
  static float p99s[MAX_BINS];
  int n_p99 = 0;
  for (int i = 0; i < bins; i++) {
    size_t n = edge[i + 1] - edge[i];
    if (n == 0) continue;
    qsort(err + edge[i], n, sizeof *err, cmp);
    p99s[n_p99++] = err[edge[i] + (size_t)(n * 0.99)];
  }
  qsort(p99s, n_p99, sizeof *p99s, cmp);
  qsort(err, n_err, sizeof *err, cmp);
  printf("{\"client\":\"c-epoll\",\"requests\":%d,\"events\":%llu,\"seconds\":%.3f,\"cpuRatio\":%.3f,\"p50Ms\":%.4f,\"p99Ms\":%.4f,\"binP99Ms\":%.4f,\"maxMs\":%.3f,\"rssMB\":%.0f}\n", done, (unsigned long long)events, sec, cpu / sec,
         n_err ? err[n_err / 2] : 0, n_err ? err[(size_t)(n_err * 0.99)] : 0, n_p99 ? p99s[n_p99 / 2] : 0, n_err ? err[n_err - 1] : 0, u.ru_maxrss / 1024.0);
}
