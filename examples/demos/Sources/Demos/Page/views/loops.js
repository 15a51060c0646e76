// The screen of the loops, as the board and a report import it.

import { screen } from "./loops/screen.js";

export default screen;
