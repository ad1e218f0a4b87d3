"""What listeners liked, disliked and played: the rows of their files and the checked events made of them."""
