import { type Generation, type SessionFacts, SessionScope } from '@amodal/sdk';
import type { Resident } from './residents.ts';
/** The services of a session that is served here. They go on from run to run, and idle with the session's history. */
export declare class SessionServices {
    #private;
    /** Goes on with those of a session that was idle. */
    resume(resident: Resident | undefined): void;
    /** For a run. Those of another principal, or of another wiring, are closed once their run is. */
    for(generation: Generation, facts: SessionFacts): SessionScope;
    /** What is worth keeping while the session is idle: services that nobody has asked for are none. */
    get made(): SessionScope | undefined;
    /** Somebody else keeps them from here on. */
    handOver(): void;
    runEnds(closed: Promise<void>): void;
    end(): void;
}
