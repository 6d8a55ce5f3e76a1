import { type ClientConfig } from 'pg';
import { type Logger } from '@amodal/sdk';
/**
 * Hears NOTIFY on a connection of its own, made when the first channel is asked for. When it breaks it is made again,
 * and every channel with it; what was sent meanwhile is lost, so whoever listens also polls. A silent break is found
 * by asking now and then.
 */
export declare class Listener {
    #private;
    constructor(config: ClientConfig, log: Logger);
    listen(channel: string, heard: (payload: string) => void): () => void;
    close(): Promise<void>;
}
