import type { Scope } from '../container.ts';
import type { Generation } from '../generation.ts';
import { RunFacts, SessionFacts } from '../ports/session.ts';
/** The scope of a session in one generation. It outlives its runs, for as long as whoever keeps the session keeps it. */
export declare class SessionScope {
    #private;
    constructor(generation: Generation, { tenant, session, principal }: SessionFacts);
    /** Made when somebody first asks for a service. */
    get scope(): Scope;
    /** Whether a service was asked for: otherwise there is nothing to keep. */
    get isMade(): boolean;
    /** Services know the principal and the wiring that they were made for, so a run of another one gets its own. */
    fits(generation: Generation, { tenant, session, principal }: SessionFacts): boolean;
    close(): Promise<void>;
}
/** The scope of one run, made when somebody first asks for a service. */
export declare class RunScope {
    #private;
    /** @param session of this generation and these facts; left out: one that ends with the run */
    constructor(generation: Generation, facts: SessionFacts & RunFacts, session?: SessionScope);
    get scope(): Scope;
    close(): Promise<void>;
}
