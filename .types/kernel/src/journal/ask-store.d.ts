import { type Failure } from '../errors.ts';
import { type Result } from '../result.ts';
/** Asks the session store, with a deadline in ms. A store that throws or hangs has said nothing about what became of it. */
export declare function askStore<T>(ms: number, ask: (signal: AbortSignal) => Promise<Result<T, Failure>>, parent?: AbortSignal): Promise<Result<T, Failure>>;
