import fc from 'fast-check'
import { newRandom } from './random.ts'

/** Properties draw from the same seed as every other random test; a failure prints it. */
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: newRandom().seed })
