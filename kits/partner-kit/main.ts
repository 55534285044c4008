#!/usr/bin/env node
/** The command of the package @pressline/partner-kit. */
import { Command } from 'commander';
import { addCheckPartner } from './options';

const program = new Command('partner-kit').description('Helps to connect a print house to Pressline.');
addCheckPartner(program, 'check');
program.parseAsync();
