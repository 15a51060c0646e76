import Weir
