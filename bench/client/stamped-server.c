// A stamped SSE server for measuring clients: every event carries CLOCK_MONOTONIC of the moment before its write.
// Single thread, epoll, one chunk per event. Usage: stamped-server PORT EVENTS GAP_US [text]   (GAP_US 0 = as fast as it can)
// With `text` the stamp is also the token itself, for clients that keep nothing of an event but its text.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { MAX_FD = 70000, OUT_BYTES = 65536 };
typedef struct { int open, streaming, sent, blocked; uint64_t due; char *out; int len, off; int body_left, in_body; char in[16384]; int in_len; } Conn;
static Conn *conns[MAX_FD];
static int heap[MAX_FD], heap_n, place[MAX_FD];
static int events_per_answer, ep, in_text;
static uint64_t gap_ns;

static uint64_t now_ns(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec * 1000000000ull + t.tv_nsec; }
static int earlier(int a, int b) { return conns[a]->due < conns[b]->due; }
static void put(int i, int fd) { heap[i] = fd; place[fd] = i; }
static void up(int i) { int fd = heap[i]; while (i > 0 && earlier(fd, heap[(i - 1) / 2])) { put(i, heap[(i - 1) / 2]); i = (i - 1) / 2; } put(i, fd); }
static void down(int i) {
  int fd = heap[i];
  for (;;) {
    int c = 2 * i + 1;
    if (c >= heap_n) break;
    if (c + 1 < heap_n && earlier(heap[c + 1], heap[c])) c++;
    if (!earlier(heap[c], fd)) break;
    put(i, heap[c]); i = c;
  }
  put(i, fd);
}
static void add(int fd) { heap[heap_n] = fd; place[fd] = heap_n; up(heap_n++); }
static void drop(int fd) {
  int i = place[fd];
  if (i < 0) return;
  place[fd] = -1;
  int last = heap[--heap_n];
  if (last == fd) return;
  put(i, last); up(i); down(place[last]);
}
static void close_conn(int fd) { drop(fd); close(fd); conns[fd]->open = 0; }

static int chunk(char *to, const char *data, int n) { int k = sprintf(to, "%x\r\n", n); memcpy(to + k, data, n); memcpy(to + k + n, "\r\n", 2); return k + n + 2; }
static int event(char *to, int last) {
  char e[512], token[32] = " token";
  unsigned long long at = now_ns();
  if (in_text) sprintf(token, " %llu", at);
  int n = last ? sprintf(e, "data: {\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1700000000,\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
                               "data: {\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1700000000,\"model\":\"m\",\"choices\":[],\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":%d,\"total_tokens\":%d}}\n\ndata: [DONE]\n\n", events_per_answer, events_per_answer + 10)
               : sprintf(e, "data: {\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1700000000,\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"%s\"},\"logprobs\":null,\"finish_reason\":null}],\"emit_ns\":\"%llu\"}\n\n", token, at);
  return chunk(to, e, n);
}
static void want_write(int fd, int on) { struct epoll_event ev = {.events = EPOLLIN | (on ? EPOLLOUT : 0), .data.fd = fd}; epoll_ctl(ep, EPOLL_CTL_MOD, fd, &ev); conns[fd]->blocked = on; }
static int flush(int fd) {
  Conn *c = conns[fd];
  while (c->off < c->len) {
    ssize_t n = write(fd, c->out + c->off, c->len - c->off);
    if (n < 0) { if (errno == EAGAIN) { if (!c->blocked) want_write(fd, 1); return 0; } close_conn(fd); return -1; }
    c->off += n;
  }
  c->len = c->off = 0;
  if (c->blocked) want_write(fd, 0);
  return 1;
}
static void emit(int fd) {
  Conn *c = conns[fd];
  do {
    if (c->sent < events_per_answer) { c->len += event(c->out + c->len, 0); c->sent++; }
    if (c->sent == events_per_answer) { c->len += event(c->out + c->len, 1); memcpy(c->out + c->len, "0\r\n\r\n", 5); c->len += 5; c->streaming = 0; }
    if (gap_ns > 0 || !c->streaming || c->len > OUT_BYTES - 2048) { if (flush(fd) != 1) return; }
  } while (gap_ns == 0 && c->streaming);
}
static void begin(int fd) {
  Conn *c = conns[fd];
  c->streaming = 1; c->sent = 0;
  c->len += sprintf(c->out + c->len, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n");
  char role[] = "data: {\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1700000000,\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"},\"finish_reason\":null}]}\n\n";
  c->len += chunk(c->out + c->len, role, sizeof role - 1);
  if (gap_ns == 0) { emit(fd); return; }
  flush(fd);
  // Spread over a gap, so that streams do not march in step.
  c->due = now_ns() + gap_ns + (uint64_t)((double)rand() / RAND_MAX * gap_ns);
  add(fd);
}
static void models(int fd) {
  char body[] = "{\"object\":\"list\",\"data\":[{\"id\":\"m\",\"object\":\"model\"}]}";
  Conn *c = conns[fd];
  c->len += sprintf(c->out + c->len, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", (int)sizeof body - 1, body);
  flush(fd);
}
static void readable(int fd) {
  Conn *c = conns[fd];
  char buf[65536];
  ssize_t n = read(fd, buf, sizeof buf);
  if (n <= 0) { if (n < 0 && errno == EAGAIN) return; close_conn(fd); return; }
  for (ssize_t i = 0; i < n && c->open; i++) {
    if (c->in_body) {
      ssize_t take = n - i < c->body_left ? n - i : c->body_left;
      c->body_left -= take; i += take - 1;
      if (c->body_left == 0) { c->in_body = 0; begin(fd); }
      continue;
    }
    if (c->in_len < (int)sizeof c->in - 1) c->in[c->in_len++] = buf[i];
    if (c->in_len >= 4 && !memcmp(c->in + c->in_len - 4, "\r\n\r\n", 4)) {
      c->in[c->in_len] = 0;
      char *length = strcasestr(c->in, "content-length:");
      c->body_left = length ? atoi(length + 15) : 0;
      int get = !strncmp(c->in, "GET ", 4);
      c->in_len = 0;
      if (get) models(fd);
      else if (c->body_left > 0) c->in_body = 1;
      else begin(fd);
    }
  }
}
int main(int argc, char **argv) {
  if (argc < 4) return 2;
  signal(SIGPIPE, SIG_IGN);
  struct rlimit lim = {MAX_FD, MAX_FD};
  setrlimit(RLIMIT_NOFILE, &lim);
  events_per_answer = atoi(argv[2]);
  gap_ns = strtoull(argv[3], 0, 10) * 1000;
  in_text = argc > 4 && !strcmp(argv[4], "text");
  int ls = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), one = 1;
  setsockopt(ls, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(atoi(argv[1])), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  if (bind(ls, (void *)&a, sizeof a) || listen(ls, 16384)) { perror("listen"); return 1; }
  socklen_t al = sizeof a;
  getsockname(ls, (void *)&a, &al);
  printf("%d\n", ntohs(a.sin_port)); fflush(stdout);
  ep = epoll_create1(0);
  struct epoll_event ev = {.events = EPOLLIN, .data.fd = ls}, got[1024];
  epoll_ctl(ep, EPOLL_CTL_ADD, ls, &ev);
  for (;;) {
    struct timespec wait = {1, 0};
    if (heap_n) { uint64_t t = now_ns(), d = conns[heap[0]]->due; uint64_t w = d > t ? d - t : 0; wait.tv_sec = w / 1000000000; wait.tv_nsec = w % 1000000000; }
    int n = epoll_pwait2(ep, got, 1024, &wait, 0);
    for (int i = 0; i < n; i++) {
      int fd = got[i].data.fd;
      if (fd == ls) {
        int s;
        while ((s = accept4(ls, 0, 0, SOCK_NONBLOCK)) >= 0) {
          if (s >= MAX_FD) { close(s); continue; }
          setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
          if (!conns[s]) { conns[s] = calloc(1, sizeof(Conn)); conns[s]->out = malloc(OUT_BYTES + 4096); }
          char *out = conns[s]->out;
          memset(conns[s], 0, sizeof(Conn)); conns[s]->out = out; conns[s]->open = 1; place[s] = -1;
          struct epoll_event e = {.events = EPOLLIN, .data.fd = s};
          epoll_ctl(ep, EPOLL_CTL_ADD, s, &e);
        }
        continue;
      }
      if (got[i].events & EPOLLOUT) { if (flush(fd) == 1 && gap_ns == 0 && conns[fd]->streaming) emit(fd); }
      if (conns[fd]->open && (got[i].events & (EPOLLIN | EPOLLHUP | EPOLLERR))) readable(fd);
    }
    uint64_t t = now_ns();
    while (heap_n && conns[heap[0]]->due <= t) {
      int fd = heap[0];
      Conn *c = conns[fd];
      if (c->blocked) { drop(fd); continue; }
      emit(fd);
      if (!c->open) continue;
      if (!c->streaming) { drop(fd); continue; }
      c->due += gap_ns; down(0);
    }
  }
}
