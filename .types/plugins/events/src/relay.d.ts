import { type Audience, type Database, type Logger } from '@amodal/sdk';
import { type Told } from './event.ts';
type Heard = (event: Told, audience: Audience, at: number) => void;
/** Passes events between the instances on one database: only while somebody elsewhere listens, so that nobody pays for readers that there are not. */
export declare class Relay {
    #private;
    constructor(database: Pick<Database, 'listen' | 'notify'>, log: Logger, heard: Heard);
    send(event: Told, { tenant, owner }: Audience, at: number): void;
    /** Whether anybody subscribes here. */
    listens(anybody: boolean): void;
    close(): void;
}
export {};
