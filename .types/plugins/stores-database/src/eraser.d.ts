import { type Eraser } from '@amodal/sdk';
/** Documents as a person's sessions have left them, and earlier versions that they wrote. */
export declare const eraser: Eraser;
