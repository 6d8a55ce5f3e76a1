import type { Connection } from '@amodal/sdk';
/** What the files of a connection say. */
export declare function textsOf(connection: Connection): string;
/** With an end that no heading of the text can be mistaken for. */
export declare function tagged({ name }: Connection, part: string, text: string): string;
