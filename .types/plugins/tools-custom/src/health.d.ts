import { type Checkup, type Generation, type HealthFact } from '@amodal/sdk';
import type { Isolation } from './isolation.ts';
import type { HandlerPool } from './process/pool.ts';
/** For `GET /health`: what handlers are kept apart by, and the proof of it, where there are any. */
export declare function handlerFacts(isolation: Isolation, pool: HandlerPool, generation: () => Generation): () => HealthFact;
/** For `amodal doctor`: the same, in sentences. */
export declare function handlerCheckup(isolation: Isolation, generation: () => Generation): Promise<Checkup | undefined>;
