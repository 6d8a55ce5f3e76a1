import type { Client } from 'pg';
/**
 * Asks the server to stop what a connection is doing (`CancelRequest`, PostgreSQL documentation 54.2.10), over a
 * connection of its own. Best effort: nothing answers it, and a proxy may not pass it on.
 */
export declare function cancel(client: Client): void;
