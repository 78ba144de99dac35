import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readDevices } from '../../inputs/hardware/index.ts';
import { cardsOfHost } from './host-cards.ts';

const read = (file: string): ReturnType<typeof cardsOfHost> =>
  cardsOfHost(
    readDevices(readFileSync(join(import.meta.dirname, '../../../test/fixtures/hardware-devices', file), 'utf8'))
      .devices,
  );

describe('the cards of this host, as its tools tell them', () => {
  test('an H200 read from nvidia-smi is that card of data/cards', () => {
    expect(read('nvidia-h200-query.csv')).toMatchObject({ cardName: expect.stringMatching(/^h200/), cards: 1 });
  });
  test('910B3 cards read from npu-smi', () => {
    expect(read('npu-smi-910b3.txt')).toMatchObject({ cardName: '910b3-64g' });
  });
  test('four MXC500 read from mx-smi', () => {
    expect(read('mx-smi-2.1.6.txt')).toMatchObject({ cardName: 'mxc500-64g' });
  });
  test('a card that is not on the list gives its memory; no card is a mistake with a hint', () => {
    const [known] = readDevices(
      readFileSync(join(import.meta.dirname, '../../../test/fixtures/hardware-devices/nvidia-h200-query.csv'), 'utf8'),
    ).devices;
    const strange = { ...known!, name: 'Brand New X9', memoryTotalBytes: 50 * 2 ** 30 };
    expect(cardsOfHost([strange, strange])).toMatchObject({ cardMemoryGiB: 50, cards: 2 });
    expect(() => cardsOfHost([])).toThrow(/no accelerator/);
  });
});
