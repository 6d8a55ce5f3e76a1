import { type Place, type Understood } from './understood.ts';
/** Parts of a form or of a message, each with its name; a part that is no field has to be understood itself. */
export declare function readMultipart(text: string, { read }: Place): Understood | undefined;
