/** The skills of the pack, in the order in which they are named to people. */
export const skillNames = ["consulta", "collaborate", "share-findings", "brain"] as const;
export type SkillName = (typeof skillNames)[number];
