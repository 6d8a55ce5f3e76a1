import type { Threshold } from '@amodal/sdk';
import { type Looked } from './field.ts';
/** Why a threshold raises the tier of a request; `undefined` where it does not. Doubt raises. */
export declare function reached(threshold: Threshold, looked: Looked): string | undefined;
