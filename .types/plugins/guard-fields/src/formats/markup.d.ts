import { type Place, type Understood } from './understood.ts';
/** Elements of XML as fields; of HTML the tables that name their columns, and the lists of terms. */
export declare function readMarkup(text: string, place: Place): Understood | undefined;
