/** The makers of dice by the names that the server gives them, with the kinds of their virtual dice in the control API. */
export const MAKERS = { GoDice: 'dice', Pixels: 'pixels' } as const;
export type Maker = keyof typeof MAKERS;

export const makers = Object.keys(MAKERS) as readonly Maker[];
