// The page of "pakdb diff --format html": the data stands in it.
import { showChanges } from "./changes.js";
import { theme } from "./theme.js";

theme(matchMedia("(prefers-color-scheme: dark)").matches);
showChanges(document.body, JSON.parse(document.getElementById("words").textContent), JSON.parse(document.getElementById("rows").textContent), { alone: true });
