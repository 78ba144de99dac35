/** Bytes in one KiB, MiB, GiB: the binary units that npu-smi, nvidia-smi and `du -h` mean by M and G. */
export const kibBytes = 1024;
export const mibBytes = 1024 ** 2;
export const gibBytes = 1024 ** 3;
