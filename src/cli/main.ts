#!/usr/bin/env node
import { exitCodes } from '../core/index.ts';
import { processTerminal } from './terminal.ts';
import { runCli } from './run-cli.ts';
import { tellBug } from './tell-bug.ts';

const io = processTerminal();
// What nobody waited for is told as any other bug, not by Node, which writes strangers' words as they are.
process.on('uncaughtException', (error) => {
  tellBug(error, io);
  process.exit(exitCodes.bug);
});
process.exitCode = await runCli(io);
