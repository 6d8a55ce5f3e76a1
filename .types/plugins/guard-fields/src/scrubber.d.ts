import { type Scrubber } from '@amodal/sdk';
import type { Ledger } from './ledger.ts';
/** Cleans what comes from outside. A call that does nothing outside has nothing to be cleaned: what it asked of others was. */
export declare function scrubber(ledger: Ledger): Scrubber;
