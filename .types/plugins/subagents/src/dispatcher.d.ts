import { type Agent, type Clock, type Dispatcher, type SessionStore } from '@amodal/sdk';
export interface Around {
    readonly agent: Agent;
    readonly sessions: SessionStore;
    readonly clock: Clock;
    /** Sub-agents of one run that work at the same time. */
    readonly parallel: number;
}
/** Runs sub-agents as sessions of their own: each goes on by itself after a crash, and is only listened to again. */
export declare function dispatcher(around: Around): Dispatcher;
