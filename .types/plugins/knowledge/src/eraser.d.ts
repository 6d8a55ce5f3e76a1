import { type Eraser } from '@amodal/sdk';
/** Documents that came out of sessions of a person. */
export declare const eraser: Eraser;
