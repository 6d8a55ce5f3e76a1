#!/usr/bin/env node
// Plain JavaScript: reading a single file of TypeScript that is not compiled yet loads the whole of what reads TypeScript,
// a tenth of a start. From here on a start finds what the install, or an earlier start, has compiled. That stands beside the
// packages, since whoever may write it may run code here.
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/amodal', import.meta.url)))
await import('./src/bin.ts')
