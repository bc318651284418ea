"""Running a proved function on data of people, with noise that hides them."""
