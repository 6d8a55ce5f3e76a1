import { type Eraser } from '@amodal/sdk';
/** Notes of a person, and those that they made for all of a tenant. */
export declare const eraser: Eraser;
