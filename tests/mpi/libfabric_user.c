/* libfabric_user: a program that uses libfabric itself, beside MPI: opens and closes two endpoints several times, sends
 * by all kinds of calls between them, and tests what arrives. Prints what a program can see of its objects. */
#include <mpi.h>
#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_tagged.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void need(int is_good, char const* what) {
  if (is_good) return;
  fprintf(stderr, "failed: %s\n", what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}
#define NEED(condition) need(condition, #condition)

enum { sides = 2, kinds = 8 };
static struct fid_ep* ep[sides];
static struct fid_cq* cq[sides];
static struct fid_av* av[sides];
static fi_addr_t other[sides];
static char got[kinds][16];

static void progress(void) {
  struct fi_cq_tagged_entry entry;
  for (int side = 0; side < sides; ++side) fi_cq_read(cq[side], &entry, 1);
}

static void make(struct fid_domain* domain, struct fi_info* info, int side) {
  struct fi_cq_attr cq_attr = {.format = FI_CQ_FORMAT_TAGGED, .size = 128};
  struct fi_av_attr av_attr = {.type = side == 0 ? FI_AV_TABLE : FI_AV_MAP};
  NEED(fi_cq_open(domain, &cq_attr, &cq[side], NULL) == 0);
  NEED(fi_av_open(domain, &av_attr, &av[side], NULL) == 0);
  NEED(fi_endpoint(domain, info, &ep[side], &ep[side]) == 0);
  NEED(ep[side]->fid.context == &ep[side]);
  NEED(fi_ep_bind(ep[side], &av[side]->fid, 0) == 0);
  NEED(fi_ep_bind(ep[side], &cq[side]->fid, FI_SEND | FI_RECV) == 0);
  NEED(fi_enable(ep[side]) == 0);
}

static void exchange(int round) {
  for (int side = 0; side < sides; ++side) {
    char name[256];
    size_t length = sizeof name;
    NEED(fi_getname(&ep[side]->fid, name, &length) == 0);
    NEED(fi_av_insert(av[1 - side], name, 1, &other[1 - side], 0, NULL) == 1);
  }
  struct fid_ep *const out = ep[0], *const in = ep[1];
  fi_addr_t const to = other[0];
  char text[16];
  snprintf(text, sizeof text, "round %d", round);
  struct iovec const pieces[] = {{text, 5}, {text + 5, 11}};
  struct fi_msg_tagged const message = {.msg_iov = pieces, .iov_count = 2, .addr = to, .tag = 2};
  struct fi_msg const untagged = {.msg_iov = pieces, .iov_count = 2, .addr = to};
  memset(got, 0, sizeof got);
  for (int kind = 0; kind < kinds; ++kind) {
    ssize_t result;
    do {
      result = kind < 4 ? fi_trecv(in, got[kind], 16, NULL, FI_ADDR_UNSPEC, (uint64_t)kind, 0, NULL)
                        : fi_recv(in, got[kind], 16, NULL, FI_ADDR_UNSPEC, NULL);
      progress();
    } while (result == -FI_EAGAIN);
    NEED(result == 0);
    do {
      if (kind == 0) result = fi_tsend(out, text, 16, NULL, to, 0, NULL);
      if (kind == 1) result = fi_tsendv(out, pieces, NULL, 2, to, 1, NULL);
      if (kind == 2) result = fi_tsendmsg(out, &message, 0);
      if (kind == 3) result = fi_tinject(out, text, 16, to, 3);
      if (kind == 4) result = fi_send(out, text, 16, NULL, to, NULL);
      if (kind == 5) result = fi_sendv(out, pieces, NULL, 2, to, NULL);
      if (kind == 6) result = fi_sendmsg(out, &untagged, 0);
      if (kind == 7) result = fi_inject(out, text, 16, to);
      progress();
    } while (result == -FI_EAGAIN);
    NEED(result == 0);
    while (strcmp(got[kind], text) != 0) progress();
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int const rounds = argc > 2 ? atoi(argv[2]) : 5;
  struct fi_info *const hints = fi_allocinfo(), *info;
  hints->caps = FI_MSG | FI_TAGGED;
  hints->ep_attr->type = FI_EP_RDM;
  hints->fabric_attr->prov_name = strdup(argc > 1 ? argv[1] : "sockets");
  NEED(fi_getinfo(FI_VERSION(1, 9), NULL, NULL, 0, hints, &info) == 0);
  for (int round = 0; round < rounds; ++round) {
    struct fid_fabric* fabric;
    struct fid_domain* domain;
    NEED(fi_fabric(info->fabric_attr, &fabric, NULL) == 0);
    NEED(fi_domain(fabric, info, &domain, NULL) == 0);
    for (int side = 0; side < sides; ++side) make(domain, info, side);
    exchange(round);
    /* An object that is in use stays as it is. Providers in layers close a part of it. */
    if (strcmp(info->fabric_attr->prov_name, "sockets") == 0) {
      NEED(fi_close(&domain->fid) == -FI_EBUSY);
      exchange(-round - 1);
    }
    NEED(fi_av_remove(av[0], &other[0], 1, 0) == 0);
    for (int side = 0; side < sides; ++side) {
      NEED(fi_close(&ep[side]->fid) == 0);
      NEED(fi_close(&av[side]->fid) == 0);
      NEED(fi_close(&cq[side]->fid) == 0);
    }
    NEED(fi_close(&domain->fid) == 0);
    NEED(fi_close(&fabric->fid) == 0);
  }
  printf("%d rounds\n", rounds);
  fi_freeinfo(info);
  MPI_Finalize();
  return 0;
}
