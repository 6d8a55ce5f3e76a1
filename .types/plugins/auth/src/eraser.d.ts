import { type Eraser } from '@amodal/sdk';
/** What the key of a person is called; the key itself stays, revoked: one that is gone could be made again. */
export declare const eraser: Eraser;
