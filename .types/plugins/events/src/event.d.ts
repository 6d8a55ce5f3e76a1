import { type Audience, type Json, type Outgoing, type RuntimeEvent } from '@amodal/sdk';
/** An event as it is told: its type, and texts, numbers and truths beside it. */
export type Told = Readonly<Record<string, string | number | boolean>> & {
    readonly type: string;
};
/** Without what may not leave, and short. */
export declare function cleaned(event: RuntimeEvent, outgoing: Outgoing | undefined): Told;
/** What another instance has told, where it is that; anyone who may connect to the database may send anything. */
export declare function readTold(said: Json | undefined): {
    readonly event: Told;
    readonly audience: Audience;
    readonly at: number;
} | undefined;
