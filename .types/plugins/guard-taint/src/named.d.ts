import type { PreparedCall } from '@amodal/sdk';
import { type Origin } from './origin.ts';
import type { Known } from './taint.ts';
/** Where what came from outside speaks of a call: of its tool by name, of an endpoint by its method and path. */
export declare function namedBy({ tool, action }: PreparedCall, known: Known): Origin | undefined;
