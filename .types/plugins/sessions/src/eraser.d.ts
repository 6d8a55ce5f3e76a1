import { type Eraser } from '@amodal/sdk';
export declare const eraser: Eraser;
