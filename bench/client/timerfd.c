// An open loop in C, the limit to compare with: Poisson due times, one timerfd at absolute times, requests written to kept
// connections, answers read and thrown away. Usage: timerfd PORT RATE SECONDS SEED. Prints one JSON line.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define CONNECTIONS 256

static uint64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000ull + (uint64_t)t.tv_nsec;
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

static void arm(int fd, uint64_t at) {
  struct itimerspec spec = {{0, 0}, {(time_t)(at / 1000000000ull), (long)(at % 1000000000ull)}};
  timerfd_settime(fd, TFD_TIMER_ABSTIME, &spec, NULL);
}

int main(int argc, char **argv) {
  if (argc < 5) return 2;
  int port = atoi(argv[1]);
  double rate = atof(argv[2]), seconds = atof(argv[3]);
  srand48(atol(argv[4]));
  size_t most = (size_t)(rate * seconds * 2 + 1000), count = 0, sent = 0, next = 0;
  double *due = malloc(most * sizeof *due), *late = malloc(most * sizeof *late);
  for (double at = 0; count < most;) {
    at += -log(1 - drand48()) / rate;
    if (at >= seconds) break;
    due[count++] = at * 1e9;
  }
  int poll = epoll_create1(0), timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
  struct epoll_event event = {.events = EPOLLIN, .data.fd = timer};
  epoll_ctl(poll, EPOLL_CTL_ADD, timer, &event);
  int fds[CONNECTIONS];
  struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  inet_pton(AF_INET, "127.0.0.1", &to.sin_addr);
  for (int i = 0; i < CONNECTIONS; i++) {
    int one = 1, fd = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(fd, (struct sockaddr *)&to, sizeof to) != 0) return 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    fcntl(fd, F_SETFL, O_NONBLOCK);
    event = (struct epoll_event){.events = EPOLLIN, .data.fd = fd};
    epoll_ctl(poll, EPOLL_CTL_ADD, fd, &event);
    fds[i] = fd;
  }
  const char *body = "{\"model\":\"m\",\"stream\":true,\"messages\":[{\"role\":\"user\",\"content\":\"Why?\"}]}";
  char request[512], junk[65536];
  int length = snprintf(request, sizeof request,
                        "POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
                        "content-length: %zu\r\n\r\n%s",
                        strlen(body), body);
  uint64_t start = now_ns() + 50000000ull;
  arm(timer, start + (uint64_t)due[0]);
  uint64_t first = 0, last = 0;
  struct epoll_event ready[64];
  while (next < count) {
    int n = epoll_wait(poll, ready, 64, -1);
    for (int i = 0; i < n; i++) {
      if (ready[i].data.fd != timer) {
        while (read(ready[i].data.fd, junk, sizeof junk) > 0) {}
        continue;
      }
      uint64_t expirations;
      if (read(timer, &expirations, sizeof expirations) < 0 && errno != EAGAIN) return 1;
      while (next < count) {
        uint64_t at = start + (uint64_t)due[next], now = now_ns();
        if (now < at) {
          arm(timer, at);
          break;
        }
        late[sent++] = (double)(now - at) / 1e6;
        if (first == 0) first = now;
        last = now;
        if (write(fds[next % CONNECTIONS], request, (size_t)length) != length) return 1;
        next++;
      }
    }
  }
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  double cpu = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) + (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
  double span = (double)(last - first) / 1e9, dueSpan = (due[count - 1] - due[0]) / 1e9;
  qsort(late, sent, sizeof *late, by_value);
  printf("{\"client\":\"c-timerfd\",\"sends\":%zu,\"p50Ms\":%.6f,\"p99Ms\":%.6f,\"maxMs\":%.6f,\"rateRatio\":%.6f,\"cpuRatio\":%.3f}\n", sent,
         late[sent / 2], late[(size_t)((double)sent * 0.99)], late[sent - 1], dueSpan / span, cpu / span);
  return 0;
}
