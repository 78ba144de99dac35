#!/usr/bin/env node
import { processIo } from './io.ts';
import { runCli } from './run-cli.ts';

process.exitCode = await runCli(processIo());
