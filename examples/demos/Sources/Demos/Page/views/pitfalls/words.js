// The words for the symptoms of a pitfall.
export const symptoms = {
  silence: ["Silence", "nothing happens any more"],
  trap: ["Trap", "a signal ends the process"],
  wrong: ["Wrong", "the result is wrong"],
  slow: ["Slow", "the result is right, and late"],
  fine: ["Fine", "the code works as it stands"],
};

/** The name of an outcome's symptom; a mistake that depends on chance may not show. */
export function nameOf(symptom) {
  return symptoms[symptom] ? symptoms[symptom][0] : "Not shown";
}
