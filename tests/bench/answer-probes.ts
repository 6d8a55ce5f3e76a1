/**
 * Loaded into our server before its own code (`node --import`): the floors call this themselves.
 */

import { answerProbes } from './probe.ts'

answerProbes()
