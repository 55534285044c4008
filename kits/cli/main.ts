#!/usr/bin/env node
/** The package @pressline/cli: the commands that work on a running Pressline. */
import { Command } from 'commander';
import { addRemoteCommands } from '../../cli/remote/commands';

const program = new Command('pressline').description('Operates a running Pressline.');
addRemoteCommands(program);
program.parseAsync();
